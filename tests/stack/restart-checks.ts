import assert from 'node:assert/strict';
import { sendSignal } from '../../scripts/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew, postPatiently } from './deliveries.ts';
import type { Stack } from './stack.ts';

/** Each alone: what a visitor may notice of its restart. */
const NOTICED: Readonly<Record<string, 'nothing' | 'a short wait'>> = {
  web: 'nothing',
  worker: 'nothing',
  redis: 'nothing',
  backup: 'nothing',
  postgres: 'a short wait',
  proxy: 'a short wait',
};

const FIRST_MAIL = ['new'];

async function waitUntilWhole(stack: Stack): Promise<void> {
  await stack.waitUntilReady(stack.origin);
  for (const service of ['postgres', 'redis', 'web', 'worker', 'proxy']) {
    await stack.waitUntilHealthy(service);
  }
}

/** Sends requests one after another while `disturb` runs, and one more after it. */
async function postMeanwhile(stack: Stack, disturb: () => Promise<unknown>) {
  const sent = [];
  let isDisturbed = true;
  const disturbance = disturb().finally(() => {
    isDisturbed = false;
  });
  while (isDisturbed && sent.length < 5) sent.push(await postPatiently(stack));
  await disturbance;
  sent.push(await postPatiently(stack));

  return sent;
}

/** `kill -9` of what runs in a container, as a crash is: Docker's own kill counts as a wish. */
async function crash(stack: Stack, service: string): Promise<void> {
  const [before] = await stack.inspectService(service);
  assert.ok(before && before.State.Pid > 0, `${service} doesn't run`);
  sendSignal(before.State.Pid, 'SIGKILL');
  await waitFor(
    `${service} to be started again`,
    async () => {
      const [now] = await stack.inspectService(service);

      return (
        now?.State.Status === 'running' &&
        now.State.StartedAt !== before.State.StartedAt &&
        now.RestartCount > before.RestartCount
      );
    },
    60_000,
  );
}

/** What may happen to any service alone, while requests come in. */
export function checkRestarts(stack: Stack): Check[] {
  const all: string[] = [];

  return [
    [
      'takes over a changed setting with one command',
      async () => {
        // From here on a request is one mail and one export within the test's time.
        await stack.changeSettings({ FOLLOW_UP_REMINDER_AFTER: '2h', FOLLOW_UP_AFTER: '4h' });
        await stack.compose('up', '-d');
        await waitUntilWhole(stack);
        all.push(await postNew(stack));
        await expectDelivered(stack, all, FIRST_MAIL);
      },
    ],
    ...Object.entries(NOTICED).map(([service, notice]): Check => [
      `takes every request while ${service} restarts; a visitor notices ${notice}`,
      async () => {
        const sent = await postMeanwhile(stack, () => stack.compose('restart', service));
        const failures = sent.flatMap((one) => one.failures);
        if (notice === 'nothing') assert.deepEqual(failures, []);
        all.push(...sent.map(({ id }) => id));
        await waitUntilWhole(stack);
      },
    ]),
    ...Object.keys(NOTICED).map((service): Check => [
      `loses nothing and comes back by itself after kill -9 of ${service}`,
      async () => {
        const sent = await postMeanwhile(stack, () => crash(stack, service));
        all.push(...sent.map(({ id }) => id));
        await waitUntilWhole(stack);
      },
    ]),
    ['has done everything for each of these requests once', () => expectDelivered(stack, all, FIRST_MAIL)],
    [
      'ends web, worker and backup in order within their time',
      async () => {
        await stack.compose('stop', 'web', 'worker', 'backup');
        for (const service of ['web', 'worker', 'backup']) {
          const [container] = await stack.inspectService(service);
          assert.equal(container?.State.ExitCode, 0, service);
        }
        await stack.compose('start', 'web', 'worker', 'backup');
        await waitUntilWhole(stack);
      },
    ],
  ];
}

/** Several of a kind behind the proxy. */
export function checkScale(stack: Stack): Check[] {
  const ids: string[] = [];

  return [
    [
      'runs three webs and four workers behind the proxy',
      async () => {
        await stack.compose('up', '-d', '--scale', 'web=3', '--scale', 'worker=4');
        await waitUntilWhole(stack);
        assert.equal((await stack.inspectService('web')).length, 3);
        assert.equal((await stack.inspectService('worker')).length, 4);
      },
    ],
    [
      'lets every web answer, and does everything once',
      async () => {
        const hasEveryWebAnswered = async () => {
          const webs = await stack.inspectService('web');
          const logs = await Promise.all(webs.map(({ Id }) => stack.docker('logs', Id)));

          return logs.every((log) => log.includes('"route":"/api/contact-submissions"'));
        };
        await waitFor(
          'every web to have taken a request',
          async () => {
            ids.push(await postNew(stack));

            return ids.length >= 12 && (await hasEveryWebAnswered());
          },
          120_000,
        );
        await expectDelivered(stack, ids, FIRST_MAIL);
      },
    ],
    [
      'is one of each again afterwards, with a crash on the way',
      async () => {
        const [one] = await stack.inspectService('web');
        sendSignal(one?.State.Pid ?? 0, 'SIGKILL');
        for (let count = 0; count < 6; count += 1) {
          assert.equal((await fetch(stack.origin)).status, 200, 'The proxy did not try another web.');
        }
        // A request that may have reached the one that died isn't repeated for the visitor, who is
        // asked to: it has its key.
        ids.push((await postPatiently(stack)).id);
        await expectDelivered(stack, ids, FIRST_MAIL);
        await stack.compose('up', '-d', '--scale', 'web=1', '--scale', 'worker=1');
        await waitUntilWhole(stack);
      },
    ],
  ];
}
