import type { Command } from './command.ts';
import { submit } from './people-commands.ts';
import { handOver, reject, snooze, undo } from './sales-commands.ts';
import { defer, goOn, loseAnswer, refuse, runDue } from './worker-commands.ts';
import { backUp, eraseRequest, releaseHold, restore, retryDead, stepClock } from './operator-commands.ts';
import type { Assignment } from './world.ts';

/** A life of the site that broke a rule once, or that a likely fault would make break one. */
interface Regression {
  readonly why: string;
  readonly workers: number;
  /** The default is `all`. */
  readonly assignment?: Assignment;
  /** The commands as a failing run prints them. */
  readonly commands: readonly Command[];
}

/** `compose` runs the next mail up to the gate `composed`, and `end` runs it from there to its end. */
const compose = [runDue(0, 'follow-up'), goOn(0)];
const end = [goOn(0), goOn(0), goOn(0)];

export const regressions: readonly Regression[] = [
  {
    why: 'a recipient deferred after a lost response may have the mail already',
    workers: 1,
    commands: [
      submit(0, false),
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), goOn(0), loseAnswer(0)],
      stepClock(60_000),
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), defer(0), goOn(0)],
    ],
  },
  {
    why: 'what is dead in a backup may have been retried and sent after it',
    workers: 1,
    commands: [
      submit(0, false),
      ...[runDue(0, 'follow-up'), goOn(0), refuse(0, 'for-good'), backUp(), retryDead()],
      ...[runDue(0, 'follow-up'), goOn(0), goOn(0), goOn(0), goOn(0)],
      ...[restore(), releaseHold(), retryDead()],
    ],
  },
  {
    why: 'two workers that send at the same time take two turns',
    workers: 2,
    assignment: 'rotate',
    commands: [
      ...[submit(0, false), submit(1, false), runDue(0, 'follow-up'), runDue(0, 'follow-up')],
      ...[goOn(0), goOn(1), goOn(0), goOn(1), goOn(0), goOn(1)],
    ],
  },
  {
    why: 'who was handed a request before its first mail has it, and nobody else',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), handOver(0, 1), ...compose, ...end, ...compose, ...end],
  },
  {
    why: 'a reminder that is about to leave does not when the request is put off',
    workers: 1,
    commands: [
      ...[submit(0, false), ...compose, ...end, stepClock(20 * 3_600_000)],
      ...[...compose, snooze(0, true, false), ...end, stepClock(3_600_000), runDue(0, 'follow-up')],
    ],
  },
  {
    why: 'a turn that comes after something was done does not stand in the way of undoing that',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), snooze(0, false, false), ...compose, ...end, undo(0)],
  },
  {
    why: 'an outcome is mailed to nobody when its request is erased while the mail is composed',
    workers: 1,
    commands: [submit(0, false), reject(0), runDue(0, 'outcome'), goOn(0), eraseRequest(0), ...end],
  },
  {
    why: 'a first mail whose request is settled before its turn, and opened again, goes to the person in turn',
    workers: 1,
    assignment: 'rotate',
    commands: [submit(0, false), runDue(0, 'follow-up'), reject(0), goOn(0), undo(0), goOn(0), goOn(0)],
  },
  {
    why: 'the note "Asked again" is mailed to nobody when the new request is erased before',
    workers: 2,
    commands: [
      ...[submit(0, false), submit(0, false), runDue(1, 'follow-up'), runDue(0, 'follow-up'), goOn(0)],
      ...[eraseRequest(1), goOn(0)],
    ],
  },
  ...(['chat', 'acknowledgment', 'follow-up'] as const).map((kind) => ({
    why: `what is settled between a restore and its release comes back marked when that is undone: ${kind}`,
    workers: 1,
    commands: [
      ...[submit(0, false), backUp(), runDue(0, kind), goOn(0), ...end, restore()],
      ...[reject(0), releaseHold(), undo(0)],
    ],
  })),
];
