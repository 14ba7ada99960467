import { expect } from 'vitest';
import { signLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { apiPaths, pathTo } from '../../../shared/paths.ts';
import { makeClient, makeContactBody } from '../../support/contact-request.ts';
import type { TestRequest } from '../../support/test-site.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeCommand, type Command } from './command.ts';
import { pick, updateAccepted, type Accepted, type World } from './world.ts';

/*
 * Commands for visitors, and for salespeople who review held requests. They use the site's pages and API.
 */

/** More requests make the runs slower without revealing more faults. */
const MAX_REQUESTS = 2;

/** Repeats a POST request while the site responds that it is too busy. */
const post = ({ site }: World, path: string, request: TestRequest): Promise<Response> =>
  waitFor('a response', async () => {
    const response = await site.app.fetch(path, { method: 'POST', ...request });

    return response.status !== 503 && response;
  });

const postRequest = (world: World, body: unknown) =>
  post(world, apiPaths.contactSubmissions, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Only three requests per hour are acknowledged from each network.
    client: makeClient(),
  });

/** A visitor sends a request, which is held if it looks like spam. */
export const submit = (person: number, isSuspected: boolean): Command =>
  makeCommand({
    call: `submit(${person}, ${isSuspected})`,
    check: ({ accepted }) => accepted.length < MAX_REQUESTS,
    run: async (world) => {
      const body = makeContactBody({
        email: `person-${person}@example.org`,
        ...(isSuspected && { spam: { honeypot: 'filled in' } }),
      });
      const acceptedAt = world.site.readTime();
      const response = await postRequest(world, body);
      expect(response.ok).toBe(true);
      const plannedAt = isSuspected ? undefined : acceptedAt;
      world.accepted = [
        ...world.accepted,
        { id: body.id, person, body, acceptedAt, plannedAt, done: [] },
      ];
    },
  });

export const isErased = ({ stored }: Readonly<World>, { id }: Accepted) =>
  stored.submissions.some((one) => one.id === id && one.isErased);

const listRepeatable = (world: Readonly<World>) =>
  world.accepted.filter((request) => !isErased(world, request));

/** A visitor whose response was lost sends the same request again. */
export const repeatSubmit = (number: number): Command =>
  makeCommand({
    call: `repeatSubmit(${number})`,
    check: (world) => listRepeatable(world).length > 0,
    run: async (world) => {
      const { body } = pick(listRepeatable(world), number);
      const response = await postRequest(world, body);
      expect(response.status).toBe(200);
    },
  });

/** Presses a button on the page that a mail links to. Returns false if the link has reached its daily limit. */
export async function press(
  world: World,
  path: string,
  request: Accepted,
  form: Record<string, string>,
): Promise<boolean> {
  const response = await post(world, path, { body: new URLSearchParams(form) });
  const isRefused = response.status === 429;
  if (!isRefused) expect(response.status).toBe(isErased(world, request) ? 404 : 200);

  return !isRefused;
}

const listHeld = (world: Readonly<World>) =>
  listRepeatable(world).filter(({ plannedAt }) => plannedAt === undefined);

/** Sales releases a held request because it is not spam. */
export const releaseRequest = (number: number): Command =>
  makeCommand({
    call: `releaseRequest(${number})`,
    check: (world) => listHeld(world).length > 0,
    run: async (world) => {
      const { site } = world;
      const request = pick(listHeld(world), number);
      const token = signLinkToken('held', request.id, site.config.linkSecrets);
      const plannedAt = site.readTime();
      await press(world, pathTo.heldRequest(token), request, { action: 'release' });
      updateAccepted(world, request.id, { plannedAt });
    },
  });
