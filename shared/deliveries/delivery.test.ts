import { expect, test } from 'vitest';
import { Hour } from '../time.ts';
import {
  getJobId,
  atMostOnceKinds,
  openRequestKinds,
  planDeliveries,
  withoutAcknowledgment,
} from './delivery.ts';

const waits = { reminderAfter: 20 * Hour, dueAfter: 24 * Hour };
const everything = planDeliveries({ ...waits, acknowledges: true, hasChat: true });

test('a request triggers three mails to sales, an export, and the optional deliveries that the settings enable', () => {
  const always = [
    { kind: 'follow-up', stage: 'new', dueAfter: 0 },
    { kind: 'follow-up', stage: 'reminder', dueAfter: 20 * Hour },
    { kind: 'follow-up', stage: 'due', dueAfter: 24 * Hour },
    { kind: 'crm-export', stage: null, dueAfter: 0 },
  ];
  const acknowledgment = { kind: 'acknowledgment', stage: null, dueAfter: 0 };
  const announcement = { kind: 'chat', stage: null, dueAfter: 0 };

  expect(planDeliveries({ ...waits, acknowledges: false, hasChat: false })).toEqual(always);
  expect(planDeliveries({ ...waits, acknowledges: true, hasChat: false })).toEqual([...always, acknowledgment]);
  expect(planDeliveries({ ...waits, acknowledges: false, hasChat: true })).toEqual([...always, announcement]);
  expect(everything).toEqual([...always, acknowledgment, announcement]);
});

test('a request without an acknowledgment still has all other deliveries', () => {
  expect(withoutAcknowledgment(everything)).toEqual(
    planDeliveries({ ...waits, acknowledges: false, hasChat: true }),
  );
});

test('the acknowledgment and the report are sent at most once, and only the export ignores whether the request is open', () => {
  expect(atMostOnceKinds).toEqual(['acknowledgment', 'report']);
  expect(openRequestKinds.toSorted()).toEqual(['acknowledgment', 'chat', 'follow-up']);
});

test('a job’s id contains its delivery’s id and follows BullMQ’s rules: no colons, and not all digits', () => {
  expect(getJobId('0198b7f0')).toBe('delivery-0198b7f0');
});
