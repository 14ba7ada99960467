import { SingleBar } from 'cli-progress';

export interface Progress {
  readonly show: (done: number) => void;
  readonly end: () => void;
}

/** A bar on standard error, where somebody looks at it. */
export function startProgress(total: number): Progress {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const bar = new SingleBar({
    format: '{bar} {value}/{total}, {eta_formatted} to go',
    stream: process.stderr,
    clearOnComplete: true,
  });
  bar.start(total, 0);

  return { show: (done) => bar.update(done), end: () => bar.stop() };
}
