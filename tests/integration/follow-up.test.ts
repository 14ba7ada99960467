import { describe, expect, test } from 'vitest';
import { getJobId, type FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb } from '../support/open-site.ts';
import { waitFor } from '../support/wait-for.ts';
import { untilRedisIs } from '../support/web-health.ts';

const COOKIE_SECRET = 's'.repeat(32);

async function setUpRequest() {
  const { settings, database, redis } = await setUpDeliveries({
    COOKIE_SECRET,
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });
  const web = await openWeb(settings);
  await untilRedisIs('up', web.origin);
  const body = makeContactBody();
  await postContact(web.origin, body);
  const url = web.origin + pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));
  const listJobs = async () => {
    const keys = (await redis.command('KEYS', 'bull:follow-up:delivery-*')) as string[];

    return keys.map((key) => key.replace('bull:follow-up:', '')).sort();
  };
  await waitFor('the jobs', async () => (await listJobs()).length === 3);
  const readStates = async () => {
    const rows = await database('deliveries').where({ submission_id: body.id }).orderBy('due_at');

    return Object.fromEntries(rows.map(({ kind, stage, state }) => [stage ?? kind, state]));
  };

  return { database, web, url, id: body.id, listJobs, readStates };
}

const press = (url: string) => fetch(url, { method: 'POST' });

describe('marking a request as contacted', () => {
  test('cancels all mails that wait, for their time or for another attempt, also in the queue', async () => {
    const { database, url, id, listJobs, readStates } = await setUpRequest();
    await database('deliveries')
      .where({ submission_id: id, stage: 'new' })
      .update({ attempts: 3, retry_at: database.raw("now() + interval '1 hour'"), last_error: 'smtp-451' });

    expect((await press(url)).status).toBe(200);

    expect(await readStates()).toEqual({
      new: 'cancelled',
      reminder: 'cancelled',
      due: 'cancelled',
      'crm-export': 'pending',
      outcome: 'pending',
    });
    await waitFor('the jobs to be removed', async () => (await listJobs()).length === 0);
  });

  test.each([
    ['stops what is not handed over yet', null, 'cancelled', 'No more reminders'],
    ['says that one is being sent', new Date(), 'leased', 'is being sent right now'],
  ])('%s, and leaves what was sent', async (_what, handedOverAt, state, words) => {
    const { database, url, id, listJobs, readStates } = await setUpRequest();
    const update = (stage: FollowUpStage, change: object) =>
      database('deliveries').where({ submission_id: id, stage }).update(change);
    await update('new', { state: 'sent', sent_at: database.fn.now() });
    await update('reminder', {
      state: 'leased',
      lease_until: database.raw("now() + interval '1 minute'"),
      lease_token: id,
      handed_over_at: handedOverAt,
    });
    const leased = await database('deliveries').where({ submission_id: id, stage: 'reminder' }).first();

    const page = await (await press(url)).text();

    expect(page).toContain(words);
    expect(await readStates()).toMatchObject({ new: 'sent', reminder: state, due: 'cancelled' });
    await waitFor('the jobs to be removed', async () => {
      const hasLeased = (await listJobs()).includes(getJobId(String(leased?.id)));

      return hasLeased === (state === 'leased');
    });
  });

  test('twice changes nothing more, and shows the same time', async () => {
    const { database, url, id, readStates } = await setUpRequest();
    const read = () => database('contact_submissions').where({ id }).first();

    const first = await (await press(url)).text();
    const marked = await read();
    const second = await (await press(url)).text();

    expect(second).toBe(first);
    expect(second).toContain('Marked as contacted on');
    expect((await read())?.contacted_at).toEqual(marked?.contacted_at);
    expect(await readStates()).toMatchObject({ due: 'cancelled' });
  });
});
