import type { Command } from './command.ts';
import { submit } from './people-commands.ts';
import { defer, goOn, loseAnswer, refuse, runDue } from './worker-commands.ts';
import { backUp, releaseHold, restore, retryDead, stepClock } from './operator-commands.ts';

/** A life of the site in which a rule was broken once. */
interface Regression {
  readonly why: string;
  readonly workers: number;
  /** As the failing run printed them. */
  readonly commands: readonly Command[];
}

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
];
