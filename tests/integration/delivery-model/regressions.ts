import type { Command } from './command.ts';
import { submit } from './people-commands.ts';
import { handOver, reject, snooze, undo } from './sales-commands.ts';
import { defer, goOn, loseResponse, refuse, runDue } from './worker-commands.ts';
import { backUp, eraseRequest, releaseHold, restore, retryDead, stepClock } from './operator-commands.ts';
import type { Assignment } from './world.ts';

/** A run of the site that once broke a rule, or that would break one if the code had a plausible bug. */
interface Regression {
  readonly why: string;
  readonly workers: number;
  /** The default is `all`. */
  readonly assignment?: Assignment;
  /** The commands, in the form that a failing run prints. */
  readonly commands: readonly Command[];
}

/** `compose` runs the next mail up to the gate `composed`, and `end` runs it from there to its end. */
const compose = [runDue(0, 'follow-up'), goOn(0)];
const end = [goOn(0), goOn(0), goOn(0)];

export const regressions: readonly Regression[] = [
  {
    why: 'a recipient who is deferred after a lost response may already have the mail',
    workers: 1,
    commands: [
      submit(0, false),
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), goOn(0), loseResponse(0)],
      stepClock(60_000),
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), defer(0), goOn(0)],
    ],
  },
  {
    why: 'a delivery that is dead in a backup may have been retried and sent after the backup',
    workers: 1,
    commands: [
      submit(0, false),
      ...[runDue(0, 'follow-up'), goOn(0), refuse(0, 'permanent'), backUp(), retryDead()],
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), goOn(0), goOn(0)],
      ...[restore(), releaseHold(), retryDead()],
    ],
  },
  {
    why: 'two workers that send simultaneously assign two turns',
    workers: 2,
    assignment: 'rotate',
    commands: [
      ...[submit(0, false), submit(1, false), runDue(0, 'follow-up'), runDue(0, 'follow-up')],
      ...[goOn(0), goOn(1), goOn(0), goOn(1), goOn(0), goOn(1)],
    ],
  },
  {
    why: 'a request that is assigned before its first mail is sent belongs only to the assignee',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), handOver(0, 1), ...compose, ...end, ...compose, ...end],
  },
  {
    why: 'a reminder that is about to be sent is stopped if the request is snoozed',
    workers: 1,
    commands: [
      ...[submit(0, false), ...compose, ...end, stepClock(20 * 3_600_000)],
      ...[...compose, snooze(0, true, false), ...end, stepClock(3_600_000), runDue(0, 'follow-up')],
    ],
  },
  {
    why: 'an outcome can be undone even if the request has since been assigned by rotation',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), snooze(0, false, false), ...compose, ...end, undo(0)],
  },
  {
    why: 'the mail about an outcome is not sent if its request is erased while the mail is composed',
    workers: 1,
    commands: [submit(0, false), reject(0), runDue(0, 'outcome'), goOn(0), eraseRequest(0), ...end],
  },
  {
    why: 'a first mail goes to the person whose turn it is if its request is settled before that turn and then reopened',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), runDue(0, 'follow-up'), reject(0), goOn(0), undo(0), goOn(0), goOn(0)],
  },
  {
    why: 'the note "Asked again" is not sent if the new request is erased first',
    workers: 2,
    commands: [
      ...[submit(0, false), submit(0, false), runDue(1, 'follow-up'), runDue(0, 'follow-up'), goOn(0)],
      ...[eraseRequest(1), goOn(0)],
    ],
  },
  ...(['chat', 'acknowledgment', 'follow-up'] as const).map((kind) => ({
    why: `a delivery is marked if its request is settled during a restore’s hold and reopened after the release: ${kind}`,
    workers: 1,
    commands: [
      ...[submit(0, false), backUp(), runDue(0, kind), goOn(0), ...end, restore()],
      ...[reject(0), releaseHold(), undo(0)],
    ],
  })),
];
