import { describe, expect, test } from 'vitest';
import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { IS_WANTED } from '../../shared/node/deliveries/delivery-table.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb } from '../support/open-site.ts';

const COOKIE_SECRET = 's'.repeat(32);

async function setUpRequest() {
  const { settings, database } = await setUpDeliveries({
    COOKIE_SECRET,
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });
  const web = await openWeb(settings);
  const body = makeContactBody();
  await postContact(web.origin, body);
  const url = web.origin + pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));
  const listWanted = () =>
    database('deliveries').where({ submission_id: body.id }).whereRaw(IS_WANTED).orderBy('kind').pluck('kind');

  return { database, url, id: body.id, listWanted };
}

const press = (url: string) => fetch(url, { method: 'POST' });

describe('marking a request as contacted', () => {
  test('stops all mails that wait for their time or for another attempt', async () => {
    const { database, url, id, listWanted } = await setUpRequest();
    await database('deliveries')
      .where({ submission_id: id, stage: 'new' })
      .update({ attempts: 3, retry_at: database.raw("now() + interval '1 hour'"), last_error: 'smtp-451' });

    expect((await press(url)).status).toBe(200);

    expect(await listWanted()).toEqual(['crm-export', 'outcome']);
  });

  test.each([
    ['stops what is not handed over yet', null, 'No more reminders'],
    ['says that one is being sent', new Date(), 'is being sent right now'],
  ])('%s', async (_what, handedOverAt, words) => {
    const { database, url, id } = await setUpRequest();
    const update = (stage: FollowUpStage, change: object) =>
      database('deliveries').where({ submission_id: id, stage }).update(change);
    await update('new', { state: 'sent', sent_at: database.fn.now() });
    await update('reminder', {
      state: 'leased',
      lease_until: database.raw("now() + interval '1 minute'"),
      lease_token: id,
      handed_over_at: handedOverAt,
    });

    const page = await (await press(url)).text();

    expect(page).toContain(words);
  });

  test('twice changes nothing further and shows the same time', async () => {
    const { database, url, id, listWanted } = await setUpRequest();
    const read = () => database('contact_submissions').where({ id }).first();

    const first = await (await press(url)).text();
    const marked = await read();
    const second = await (await press(url)).text();

    expect(second).toBe(first);
    expect(second).toContain('Marked as contacted on');
    expect((await read())?.contacted_at).toEqual(marked?.contacted_at);
    expect(await listWanted()).toEqual(['crm-export', 'outcome']);
  });
});
