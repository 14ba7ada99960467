import { expect } from 'vitest';
import { makeStrangersBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';

const KILLS = 8;
const POSTS_PER_KILL = 25;

faultRow(27, 'kill -9 of web at random times: a request that is repeated with the same id is stored once', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { database, settings } = fixture;
  let web = await startWeb(settings);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const bodies = Array.from({ length: POSTS_PER_KILL }, () => makeStrangersBody());
    const { origin } = web;
    const posting = bodies.map((body) => fixture.submit(origin, body).catch(() => undefined));
    await chance.letTimePass(60);
    await web.stop('SIGKILL');
    const firstResponses = await Promise.all(posting);

    web = await startWeb(settings);
    for (const [index, body] of bodies.entries()) {
      // On a busy machine the response may be 503, after which a client retries.
      const again = await waitFor('a response other than 503', async () => {
        const response = await fixture.submit(web.origin, body);

        return response.status !== 503 && response;
      });
      expect([200, 201]).toContain(again.status);
      if (firstResponses[index]?.ok) expect(again.status).toBe(200);
    }
  }

  const count = KILLS * POSTS_PER_KILL;
  expect(new Set(fixture.accepted).size).toBe(count);
  expect(await database('contact_submissions')).toHaveLength(count);
  expect(await database('deliveries')).toHaveLength(4 * count);
  const recoveredAt = Date.now();
  await startWorker(settings);
  await waitFor('all mails', async () => (await countStates(database))['sent'] === count, 60_000);
  await fixture.expectMails({ recoveredAt });
});
