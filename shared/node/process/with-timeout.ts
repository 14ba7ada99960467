import { SiteError } from '../logging/describe-error.ts';

/** Thrown when work takes longer than its timeout. */
export class TimeoutError extends SiteError {
  override readonly name = 'TimeoutError';
}

/** Returns the result of `work`, or aborts its signal after `ms` and throws TimeoutError. */
export async function withTimeout<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  ms: number,
): Promise<Result> {
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new TimeoutError(`This took longer than ${ms} ms.`);
      timeout.abort(error);
      reject(error);
    }, ms);
  });

  try {
    return await Promise.race([work(timeout.signal), expiry]);
  } finally {
    clearTimeout(timer);
  }
}
