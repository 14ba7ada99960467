import assert from 'node:assert/strict';
import { apiPaths } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { openUnread, postUnread } from '../support/unread-posts.ts';
import type { Check } from './container-checks.ts';
import { makeTrustingFetch, readRootCertificate } from './proxy-checks.ts';
import type { Stack } from './stack.ts';

/** The port of HTTPS in the container. */
const PORT = 8443;

/**
 * Twelve networks of the proxy in four /24 ranges. Through each, this machine reaches the proxy from another address.
 * They are in 198.18.0.0/15, which is reserved for tests of network devices (RFC 2544).
 */
const NETWORKS = [0, 1, 2, 3].flatMap((third) =>
  [0, 16, 32].map((start) => ({ subnet: `198.18.${third}.${start}/28`, host: `198.18.${third}.${start + 2}` })),
);

/** Creates these networks, runs a function and removes them. */
async function withNetworks(stack: Stack, run: () => Promise<void>): Promise<void> {
  const [proxy] = await stack.inspectService('proxy');
  const id = proxy?.Id ?? '';
  const names: string[] = [];
  try {
    for (const [count, { subnet, host }] of NETWORKS.entries()) {
      const name = `${stack.project}-attacker-${count}`;
      await stack.docker('network', 'create', '--subnet', subnet, name);
      names.push(name);
      await stack.docker('network', 'connect', '--ip', host, name, id);
    }
    await run();
  } finally {
    for (const name of names) {
      await stack.docker('network', 'disconnect', '--force', name, id);
      await stack.docker('network', 'rm', name);
    }
  }
}

async function expectAcceptedUnderAttack(stack: Stack): Promise<void> {
  const get = await makeTrustingFetch(stack);
  const trusted = { servername: 'localhost', ca: await readRootCertificate(stack) };
  const sessions = await Promise.all(NETWORKS.map(({ host }) => openUnread({ host, port: PORT }, trusted)));
  const statuses = await postUnread(sessions, new URL(stack.httpsOrigin).host);
  const response = await get(stack.httpsOrigin + apiPaths.contactSubmissions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(makeContactBody()),
    signal: AbortSignal.timeout(5_000),
  });
  for (const session of sessions) session.destroy();

  assert.ok(statuses.includes(422), statuses.join());
  assert.equal(response.status, 201);
}

/** A flood that a firewall can't tell from visitors. */
export function checkFlood(stack: Stack): Check[] {
  return [
    [
      'accepts a request while twelve addresses post bad forms and read no response',
      () => withNetworks(stack, () => expectAcceptedUnderAttack(stack)),
    ],
  ];
}
