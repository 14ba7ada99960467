import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { listStages, setUpDeliveries, untilSent } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';

test.each([['with'], ['without']])('%s Redis, each mail is sent once and never early, and the export is written once', async (way) => {
  const { settings, database, sink, crmFolder } = await setUpDeliveries();
  const chosen = way === 'with' ? settings : { ...settings, REDIS_URL: '' };
  const web = await openWeb(chosen);
  await openWorker(chosen);
  const body = makeContactBody({ company: '=1+1 Sweets', phone: '+1 555 0100' });

  const response = await postContact(web.origin, body);
  expect(response.status).toBe(201);
  await untilSent(database, 4);

  expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  const [first, reminder, due] = sink.received;
  expect(first?.mail.subject).toBe('[Praline] New assessment request: =1+1 Sweets');
  expect(reminder?.mail.subject).toBe('[Praline] Reminder: =1+1 Sweets');
  expect(due?.mail.subject).toBe('[Praline] Follow-up due: =1+1 Sweets');
  expect(first?.header('X-Submission-Id')).toBe(body.id);
  expect(first?.mail.replyTo?.[0]).toMatchObject({
    name: 'Ada Example',
    address: 'ada@example.org',
  });
  expect(first?.mail.inReplyTo).toBeUndefined();
  for (const later of [reminder, due]) {
    expect(later?.mail).toMatchObject({ inReplyTo: first?.mail.messageId, references: first?.mail.messageId });
    expect(later?.mail.text).toMatch(/^First mail sent: +\w+day, /m);
  }
  expect(due?.mail.text).toMatch(/^Reminder sent: +\w+day, /m);
  const request = await database('contact_submissions').where({ id: body.id }).first();
  const receivedAt = Number(request?.received_at);
  expect(reminder?.receivedAt).toBeGreaterThanOrEqual(receivedAt + 2_000);
  expect(due?.receivedAt).toBeGreaterThanOrEqual(receivedAt + 4_000);

  const ndjson = await readFile(join(crmFolder, 'submissions.ndjson'), 'utf8');
  expect(ndjson.trim().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ submission_id: body.id, company: '=1+1 Sweets' }),
  ]);
  const csv = await readFile(join(crmFolder, 'submissions.csv'), 'utf8');
  expect(csv.trim().split('\r\n')).toHaveLength(2);
  expect(csv).toContain("'=1+1 Sweets");
});
