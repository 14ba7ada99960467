import { waitFor } from '../support/wait-for.ts';

interface Ready {
  readonly status: number;
  readonly postgres: string;
  readonly schema: string;
  readonly redis: string;
}

/** Returns a web process's readiness report, with the HTTP status of the response. */
export async function readReady(origin: string): Promise<Ready> {
  const response = await fetch(`${origin}/health/ready`);

  return { ...((await response.json()) as Omit<Ready, 'status'>), status: response.status };
}

export const untilReady = (origin: string) =>
  waitFor('web to be ready', async () => (await readReady(origin)).status === 200);

/** @param state the state of Redis that the web process reports */
export const untilRedisIs = (state: 'up' | 'down', origin: string) =>
  waitFor(`web to see Redis ${state}`, async () => (await readReady(origin)).redis === state);
