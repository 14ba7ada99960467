import { findFreePort } from '../../scripts/free-port.ts';
import { waitFor } from '../../tests/support/wait-for.ts';
import { LOAD_CORE, startPinned } from '../pinned-process.ts';

const TAKEN_PATH = '/taken';

/** Whether a request asks the sink itself instead of handing it an event. */
export const isForSink = (path: string): boolean => path === TAKEN_PATH;

/** How often something was handed over, and how many different things that were. */
export interface Count {
  readonly all: number;
  readonly distinct: number;
}

/** What the sink was given since it was last told to forget. */
export interface Taken {
  readonly mails: Count;
  readonly events: Count;
}

/** A mail server and a receiver of webhooks that only count. */
export interface Sink {
  readonly smtpUrl: string;
  readonly webhookUrl: string;
  readonly read: () => Promise<Taken>;
  readonly forget: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the sink as a process on the load's core. */
export async function startSink(): Promise<Sink> {
  const [port, smtpPort] = [await findFreePort(), await findFreePort()];
  const settings = { PORT: String(port), SMTP_PORT: String(smtpPort) };
  const sink = startPinned(['bench/jobs/sink-entry.ts'], settings, LOAD_CORE);
  const url = `http://127.0.0.1:${port}${TAKEN_PATH}`;
  await waitFor('the sink', () => {
    if (sink.hasExited()) throw new Error(`The sink ended: ${sink.output()}`);

    return fetch(url).then(({ ok }) => ok, () => false);
  });

  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    webhookUrl: `http://127.0.0.1:${port}/leads`,
    read: async () => (await (await fetch(url)).json()) as Taken,
    forget: async () => {
      await fetch(url, { method: 'DELETE' });
    },
    stop: sink.stop,
  };
}
