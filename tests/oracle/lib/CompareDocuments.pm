# CompareDocuments.pm - holds the documents that ckrun makes of a session (run, loop and workflow
# checkpoints) against its transcript.
package CompareDocuments;
use strict;
use warnings;

use JSON::PP;

use Documents;
use RunCheckpoint;
use Runs;
use Spending;
use View;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;

# compare COMPARE, SESSION, VIEW
sub compare {
  my ($with, $session, $view) = @_;
  my $run = export($with, $session, "run-checkpoint");
  my $loop = export($with, $session, "loop-checkpoint");
  my $workflow = export($with, $session, "workflow-checkpoint");
  run_checkpoint($with, $session, $view, $run);
  loop($with, $session, $view, $loop, $run);
  workflow($with, $session, $view, $workflow);
}

sub export {
  my ($with, $session, $format) = @_;
  return $with->{said}->object("sessions", "export", $session, "--format", $format);
}

sub run_checkpoint {
  my ($with, $session, $view, $got) = @_;
  my @list = $view->living;
  $with->same("run checkpoint: is made", $session, $got->{refused} ? 0 : 1,
    Documents::is_settled($view) && RunCheckpoint::is_made($view, @list) ? 1 : 0);
  return if $got->{refused};
  my $runs = Runs::runs($view);
  $with->same("run checkpoint: runId", $session, $got->{runId}, $runs->[-1]{run});
  $with->same("run checkpoint: history", $session, RunCheckpoint::fault(@{ $got->{history} }), "");
  my $iterations = RunCheckpoint::iterations(@list);
  $with->same("run checkpoint: lastCompletedIteration", $session, $got->{lastCompletedIteration},
    $iterations) if defined $iterations;
  my $input = $view->{all}[0]{body}{input}{input};
  $with->same("run checkpoint: originalInput", $session, $got->{originalInput}{message}, $input)
    if defined $input && !ref $input;
  failure_point($with, $session, $view, $got);
}

sub failure_point {
  my ($with, $session, $view, $got) = @_;
  my @list = $view->living;
  my ($shown) = $with->{said}->lines("sessions", "show", $session);
  my $paused = $shown->{status} =~ /^(paused|waiting)$/ ? 1 : 0;
  my @stops = RunCheckpoint::stopped_in($paused, @list);
  my $said = $got->{failurePoint};
  @stops = ($paused ? undef : [ "iteration", RunCheckpoint::begun_node(@list) ]) if !@stops;
  my $point = $said ? [ @$said{qw(phase stage)} ] : undef;
  my ($same) = grep { $json->encode($_) eq $json->encode($point) } @stops;
  $with->same("run checkpoint: phase and stage", $session, $point, @stops && $same // $stops[0]);
  $with->same("run checkpoint: iteration", $session, $said->{iteration},
    $got->{lastCompletedIteration} + 1) if $said;
}

# The same as the run checkpoint, under other names, and what was spent.
sub loop {
  my ($with, $session, $view, $got, $run) = @_;
  my $refused = $run->{refused} || !$run->{agent} ? 1 : 0;
  $with->same("loop checkpoint: refused where there is no agent's run", $session,
    $got->{refused} ? 1 : 0, $refused);
  return if $refused || $got->{refused};
  $with->same("loop checkpoint: session_id and turn", $session, [ @$got{qw(session_id turn)} ],
    [ $session, $run->{lastCompletedIteration} ]);
  $with->same("loop checkpoint: roles", $session, [ map { $_->{role} } @{ $got->{messages} } ],
    [ Documents::roles(@{ $run->{history} }) ]);
  usage($with, "loop checkpoint", $session, $view, $got);
}

sub workflow {
  my ($with, $session, $view, $got) = @_;
  my @steps = Documents::steps($view, $view->living);
  my $is_workflow = (Documents::is_settled($view) || $view->is_over) && grep { @$_ > 1 } @steps;
  $with->same("workflow checkpoint: refused without a completed step", $session,
    $got->{refused} ? 1 : 0, $is_workflow ? 0 : 1) if $is_workflow || !@steps;
  return if $got->{refused};
  my @said = @{ $got->{steps} };
  my $unmarked = Documents::unmarked($view, $view->living);
  pop @said while @said > @steps && exists $unmarked->{ $said[-1]{task_id} }
    && $json->encode($unmarked->{ $said[-1]{task_id} }) eq $json->encode($said[-1]{outcome});
  my @known = map {
    my $step = $said[$_] // {};
    [ $step->{task_id}, @{ $steps[$_] // [] } > 1 ? $step->{outcome} : () ]
  } 0 .. $#said;
  $with->same("workflow checkpoint: steps", $session, \@known, \@steps);
  $with->same("workflow checkpoint: workflow_id", $session, $got->{workflow_id}, $session);
  usage($with, "workflow checkpoint", $session, $view, $got);
}

# Of which run it is, and what was spent by then.
sub usage {
  my ($with, $document, $session, $view, $got) = @_;
  my $run = Runs::runs($view)->[-1];
  $with->same("$document: run", $session, [ @$got{qw(run_id parent_run_id)} ],
    [ @$run{qw(run parent_run)} ]);
  my $spent = Spending::spent($view, @{ $view->{all} })->{all};
  my $usage = $got->{total_usage};
  $with->same("$document: usage", $session,
    [ @$usage{qw(input_tokens output_tokens model_calls)}, sprintf("%.6f", $usage->{cost_usd}),
      $got->{tool_calls_count} ],
    [ @$spent{qw(input_tokens output_tokens model_calls)},
      sprintf("%.6f", $spent->{cost_micros} / 1e6), $spent->{tool_calls} ]);
}

1;
