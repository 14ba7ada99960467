import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { launchBrowser, openPage, waitUntilHydrated } from '../support/browser.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { pastNine } from '../support/delivery-fixture.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { startWebProcess, startWorkerProcess } from '../support/site-process.ts';
import { startSmtpSink, type ReceivedMail } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { holdRequests } from './hold-requests.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { takeTime } from './take-time.ts';

test('a visitor’s request is acknowledged, reaches sales and the CRM, and the follow-up mails come in time', async () => {
  const databaseUrl = await createMigratedDatabase();
  const redis = await createRedisServer();
  await redis.start();
  const sink = await startSmtpSink();
  const crmFolder = makeTemporaryFolder();
  const settings = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    SMTP_URL: sink.url,
    MAIL_FROM: 'The Site <site@example.com>',
    SALES_EMAIL: 'sales@example.com, owner@example.com',
    CRM_DIR: crmFolder,
    COOKIE_SECRET: 's'.repeat(32),
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '6s',
    TIME_ZONE: pastNine,
  };
  const web = await startWebProcess(settings);
  const worker = await startWorkerProcess({ ...settings, PUBLIC_URL: web.origin });
  const browser = await launchBrowser();
  onTestFinished(async () => {
    await browser.close();
    await web.stop();
    await worker.stop();
    await sink.close();
    await redis.remove();
  });
  const database = openDatabase(databaseUrl, onTestFinished);
  const { page, reportedErrors } = await openPage(browser);

  await page.goto(web.origin);
  await page.getByRole('link', { name: 'Free Business Transformation Assessment' }).first().click();
  await page.getByRole('heading', { level: 1, name: contactMessages.heading }).waitFor();
  await waitUntilHydrated(page);
  await takeTime(page);
  await page.getByLabel('Full Name').fill('Zoë O’Neil');
  await page.getByLabel('Business Email').fill('zoe@example.org');
  await page.getByLabel('Company Name').fill('Neil & Daughters');
  await page.getByLabel('Phone').fill('+1 555 0199');
  await page.getByLabel('Industry').selectOption('private-equity');
  await page.getByLabel('Message').fill('Two lines\nof plain words.');
  // Holds the response back until the state in between has been seen.
  const letGo = await holdRequests(page, '**/api/contact-submissions');
  const clickedAt = Date.now();
  await page.getByRole('button', { name: /assessment/i }).and(page.locator('[type=submit]')).click();
  const submitting = page.getByRole('button', { name: contactMessages.submitting });
  await submitting.waitFor();
  expect(await submitting.isDisabled()).toBe(true);
  letGo();
  await page.getByText("We'll be in touch within 6 seconds").waitFor();
  expect(await page.getByLabel('Full Name').inputValue()).toBe('');

  const [row, ...others] = await database('contact_submissions');
  expect(others).toEqual([]);
  if (!row) throw new Error('There is no row.');
  expect(row).toMatchObject({
    name: 'Zoë O’Neil',
    email: 'zoe@example.org',
    company: 'Neil & Daughters',
    phone: '+1 555 0199',
    industry: 'private-equity',
    message: 'Two lines\nof plain words.',
  });
  expect(Math.abs(Number(row.submitted_at) - clickedAt)).toBeLessThan(60_000);
  const planned = await database('deliveries').where({ submission_id: row.id }).orderBy('due_at');
  expect(planned.map(({ kind, stage }) => [String(kind), stage as unknown]).sort()).toEqual([
    ['acknowledgment', null],
    ['crm-export', null],
    ['follow-up', 'due'],
    ['follow-up', 'new'],
    ['follow-up', 'reminder'],
  ]);

  await waitFor('all deliveries', async () => {
    const rows = await database('deliveries').where({ state: 'sent' });

    return rows.length === 5;
  });
  const getStage = ({ header }: ReceivedMail) => header('X-Delivery-Stage');
  const toSales = sink.received.filter((mail) => getStage(mail) !== 'acknowledgment');
  expect(toSales.map(getStage)).toEqual(['new', 'reminder', 'due']);
  const receivedAt = Number(row.received_at);
  expect(toSales[1]?.receivedAt).toBeGreaterThanOrEqual(receivedAt + 2_000);
  expect(toSales[2]?.receivedAt).toBeGreaterThanOrEqual(receivedAt + 6_000);
  const acknowledgment = sink.received.find((mail) => getStage(mail) === 'acknowledgment');
  expect(acknowledgment?.mail.to).toMatchObject([{ address: 'zoe@example.org' }]);
  expect(acknowledgment?.mail.subject).toBe('[Praline] We have your request');

  const [first] = toSales;
  const firstDelivery = planned.find(({ stage }) => stage === 'new');
  expect(first?.mail.subject).toBe('[Praline] New assessment request: Neil & Daughters');
  expect(first?.mail.from).toMatchObject({ name: 'The Site', address: 'site@example.com' });
  expect(first?.mail.to?.map(({ address }) => address)).toEqual([
    'sales@example.com',
    'owner@example.com',
  ]);
  expect(first?.mail.replyTo?.[0]).toMatchObject({ name: 'Zoë O’Neil', address: 'zoe@example.org' });
  expect(first?.mail.messageId).toContain(String(firstDelivery?.id));
  expect(first?.header('X-Submission-Id')).toBe(row.id);
  for (const part of ['Zoë O’Neil', '+1 555 0199', 'Private Equity', '> Two lines', 'Answer by']) {
    expect(first?.mail.text).toContain(part);
  }
  expect(first?.mail.html).toContain('Neil &amp; Daughters');

  const ndjson = await readFile(join(crmFolder, 'submissions.ndjson'), 'utf8');
  expect(JSON.parse(ndjson)).toMatchObject({ submission_id: row.id, name: 'Zoë O’Neil' });
  const csv = await readFile(join(crmFolder, 'submissions.csv'), 'utf8');
  expect(csv).toContain(String(row.id));
  expect(csv).toMatch(/[,"]\+1 555 0199[,"]/);

  const link = /Mark as contacted: (\S+)/.exec(first?.mail.text ?? '')?.[1];
  await page.goto(String(link));
  await page.getByRole('button', { name: 'Mark as contacted' }).click();
  await page.getByText('Marked as contacted on').waitFor();
  await waitFor('the lead to be marked', async () => {
    const lead = await database('contact_submissions').whereNotNull('contacted_at');

    return lead.length === 1;
  });
  expect(reportedErrors).toEqual([]);

  const logs = web.output() + worker.output();
  for (const personal of ['zoe@example.org', 'O’Neil', 'Daughters', '555 0199', 'plain words']) {
    expect(logs).not.toContain(personal);
  }
  const jobs = JSON.stringify(await redis.command('KEYS', '*'));
  expect(jobs).not.toContain('zoe');
});
