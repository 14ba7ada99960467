import type { Config } from '../../shared/node/config/config.ts';
import { pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';

/** Both durations count the same time, all of it or business hours, so the shorter one always ends first. */
export const assessReminder = ({ followUp }: Pick<Config, 'followUp'>): CheckOutcome =>
  followUp.reminderAfter < followUp.dueAfter
    ? pass('It comes before the answer is due.')
    : warn(
        'It comes when the answer is due already, or later: set FOLLOW_UP_REMINDER_AFTER to less than FOLLOW_UP_AFTER.',
      );

/** Checks that the reminder leaves time to answer. A start isn't refused: no mail is lost by it. */
export const checkReminder = (config: Config): Check => ({
  name: 'reminder',
  run: async () => assessReminder(config),
});
