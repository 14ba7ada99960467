import { expect, test } from 'vitest';
import { createDeliveryPlanner } from '../../../shared/node/deliveries/delivery-store.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { parseWeeklyHours } from '../../../shared/node/response-promise/weekly-hours.ts';
import { Hour } from '../../../shared/time.ts';
import { database, setUpDatabase } from './fixture.ts';

setUpDatabase();

test('a plan follows the response promise, counting business hours from PostgreSQL’s current time', async () => {
  const waits = { reminderAfter: 20 * Hour, dueAfter: 24 * Hour };
  const always = parseWeeklyHours('Mon-Sun 00:00-24:00');
  if ('error' in always) throw new Error(always.error);
  // The business is closed for the next ten hours, so those don't count towards the promise.
  const closures = [{ start: Date.now() - Hour, end: Date.now() + 10 * Hour }];
  const businessTime = { hours: always.hours, timeZone: 'UTC', closures };
  const inBusinessTime = createDeliveryPlanner(createResponsePromise({ ...waits, businessTime }), {
    ...{ acknowledges: false, hasChat: false },
  });
  const plan = createDeliveryPlanner(createResponsePromise(waits), { acknowledges: true, hasChat: true });
  const planned = await database.transaction((transaction) => plan(transaction));

  expect(planned.map(({ kind, stage, dueAfter }) => [kind, stage, dueAfter])).toEqual([
    ['follow-up', 'new', 0],
    ['follow-up', 'reminder', 20 * Hour],
    ['follow-up', 'due', 24 * Hour],
    ['crm-export', null, 0],
    ['acknowledgment', null, 0],
    ['chat', null, 0],
  ]);
  const later = await database.transaction((transaction) => inBusinessTime(transaction));
  expect(later.map(({ stage, dueAfter }) => [stage, dueAfter])).toEqual([
    ['new', 0],
    ['reminder', expect.closeTo(30 * Hour, -5)],
    ['due', expect.closeTo(34 * Hour, -5)],
    [null, 0],
  ]);
});
