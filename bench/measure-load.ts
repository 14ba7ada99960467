import type { Figures } from './compare.ts';
import type { PinnedProcess } from './pinned-process.ts';
import { sendLoad, type Load } from './send-load.ts';

/** What a load cost the server that answered it, and how long its clients waited. */
export interface LoadFigures extends Figures {
  readonly perSecond: number;
  /** Processor time of the server for a request, in milliseconds. */
  readonly cpuMs: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Hundredths of the answers. */
  readonly refused: number;
}

/**
 * With few connections: what many leave behind would still be answered in the measurement. Long enough
 * for what a thousand before it left behind.
 */
const WARM_UP = { seconds: 3, connections: 8 } as const;

/** Sends a load, first for a moment to warm the server up, and reads its processor time. */
export async function measureLoad(server: PinnedProcess, load: Load): Promise<LoadFigures> {
  await sendLoad({ ...load, ...WARM_UP });
  const before = await server.readCpuMs();
  const { requests, ms, p50, p99, refused } = await sendLoad(load);
  const cpuMs = ((await server.readCpuMs()) - before) / requests;

  return {
    ...{ perSecond: requests / (ms / 1000), cpuMs, p50, p99 },
    refused: (100 * refused) / requests,
  };
}
