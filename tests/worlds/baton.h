/* baton.h - threads of which one runs at a time, and chance says which.
 *
 * In the place of the C library's threads, for the whole program (--wrap): a thread that is
 * started waits until it has the baton. It passes the baton on where it would wait (for a mutex, a
 * condition, the end of another thread, the clock), and where baton_offer stands, if chance will.
 * Nothing else ever decides who goes on. Time is the number of times that it was asked for, and
 * what was slept. */
#ifndef CK_TESTS_WORLDS_BATON_H
#define CK_TESTS_WORLDS_BATON_H

#include <stdbool.h>
#include <stdint.h>

/* A history begins: time is zero. Only the calling thread is there. */
void baton_begin(void);
/* Another thread may go on here. */
void baton_offer(void);
/* All others go on until each waits, or chance gives the baton back. */
void baton_pass(void);

/* The simulated process that the running thread belongs to; threads inherit it. */
int baton_process(void);
void baton_set_process(int process);

int64_t baton_now_us(void);
void baton_sleep(int64_t us);
/* How often the baton went from one thread to another. */
uint64_t baton_switches(void);

#endif
