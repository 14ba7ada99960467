import { describe, expect, test } from 'vitest';
import { Hour } from '../../../shared/time.ts';
import { setUpDeliveries, untilSent } from '../../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../../support/open-site.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeClient, makeEmail, post, settings, today, yesterday } from './newsletter-web.ts';

describe('the confirmation mail', () => {
  const senders = {
    ...settings,
    SITE_NAME: 'The Site',
    MAIL_FROM: 'The Site <site@example.com>',
    SALES_EMAIL: 'sales@example.com',
  };

  test('is sent once, only to the subscriber, and its links confirm and unsubscribe', async () => {
    const { settings: own, database, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    const worker = await openWorker({ ...own, PUBLIC_URL: site.origin });
    const email = makeEmail();

    expect((await post(email, makeClient(), site.origin)).status).toBe(202);
    await untilSent(database, 1);

    const [received, ...others] = sink.received;
    const delivery = await database('deliveries').first();
    expect(others).toEqual([]);
    expect(received?.mail.subject).toBe('[The Site] Please confirm your subscription');
    expect(received?.mail.from).toMatchObject({ address: 'site@example.com' });
    expect(received?.mail.to).toEqual([{ name: '', address: email }]);
    expect(received?.mail.cc).toBeUndefined();
    expect(received?.mail.replyTo).toBeUndefined();
    expect(received?.mail.messageId).toBe(`<newsletter-${delivery?.id}@example.com>`);

    const text = received?.mail.text ?? '';
    const confirmUrl = /^Confirm your subscription: (\S+)$/m.exec(text)?.[1] ?? '';
    const unsubscribeUrl = /^Unsubscribe: (\S+)$/m.exec(text)?.[1] ?? '';
    expect(received?.header('List-Unsubscribe')).toBe(`<${unsubscribeUrl}>`);
    expect(received?.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(received?.mail.html).toContain(`href="${confirmUrl}"`);
    expect(received?.mail.html).toContain(`href="${unsubscribeUrl}"`);

    await fetch(confirmUrl, { method: 'POST' });
    expect(await database('newsletter_subscriptions').first()).toMatchObject({
      confirmed_at: expect.any(Date),
      unsubscribed_at: null,
    });
    await fetch(unsubscribeUrl, { method: 'POST' });
    expect(await database('newsletter_subscriptions').first()).toMatchObject({
      unsubscribed_at: expect.any(Date),
    });
    expect(site.output() + worker.output()).not.toContain(email);
  });

  test.each([
    ['cancelled', 'confirmed', { confirmed_at: today }],
    ['sent', 'confirmed and ended', { confirmed_at: yesterday, unsubscribed_at: today }],
  ])('is %s if the subscription is %s before the worker starts', async (state, _what, change) => {
    const { settings: own, database, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    await post(makeEmail(), makeClient(), site.origin);
    await database('newsletter_subscriptions').update(change);

    await openWorker(own);
    await waitFor('the end of the delivery', async () => {
      const delivery = await database('deliveries').first('state');

      return delivery?.state === state;
    });

    expect(sink.received).toHaveLength(state === 'sent' ? 1 : 0);
  });

  test('is cancelled without an alert if its recipient is refused permanently, and no log contains the address', async () => {
    const { settings: own, database, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    // On a busy machine the mail may be late, which would raise a different alert.
    const worker = await openWorker({ ...own, WORKER_TIMINGS: JSON.stringify({ alertAfter: 1 * Hour }) });
    const email = makeEmail();
    sink.refusedRecipients.set(email, 450);

    await post(email, makeClient(), site.origin);
    await waitFor('the temporary refusal', () => worker.output().includes('smtp-450'));
    sink.refusedRecipients.set(email, 550);
    await waitFor('the permanent refusal', () => worker.output().includes('smtp-550'));
    await waitFor('the end of the delivery', async () => {
      const delivery = await database('deliveries').first();

      return delivery?.state === 'cancelled';
    });
    expect(worker.output()).not.toContain('"alert"');
    expect(worker.output()).not.toContain(email);
  });
});
