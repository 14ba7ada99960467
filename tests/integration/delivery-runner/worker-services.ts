import { createClaimLimiter } from '../../../jobs/deliveries/run-due.ts';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import type { SweepServices } from '../../../jobs/deliveries/sweep-deliveries.ts';
import { mapKinds } from '../../../shared/deliveries/delivery.ts';
import { productionTimings, type Timings } from '../../../shared/node/config/timings.ts';
import type { DeliveryScheduler } from '../../../shared/node/deliveries/delivery-scheduler.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import { unobserved } from '../../support/delivery-job.ts';
import { database } from '../delivery-store/fixture.ts';

/** A signal that never aborts. */
export const { signal: never } = new AbortController();

export interface Changes {
  readonly handler?: DeliveryHandler;
  readonly timings?: Partial<Timings>;
  readonly scheduler?: DeliveryScheduler;
}

/** A worker's services without rate limits. They collect log lines, metrics and the ids of handled deliveries. */
export function setUp({ handler, timings, scheduler }: Changes = {}) {
  const lines: Array<Readonly<Record<string, unknown>>> = [];
  const measured: unknown[][] = [];
  const handled: string[] = [];
  const handle: DeliveryHandler = async (delivery, signal) => {
    handled.push(delivery.id);

    return handler ? handler(delivery, signal) : { remoteRef: null, deferred: [] };
  };
  const services: SweepServices = {
    ...unobserved,
    database,
    scheduler,
    planners: [],
    handlers: mapKinds(() => handle),
    timings: { ...productionTimings, due: 20, ...timings },
    limiters: mapKinds(() => createClaimLimiter(undefined)),
    logger: createLogger({
      ...{ level: 'info', process: 'test' },
      stream: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
    metrics: {
      ...unobserved.metrics,
      observeDelivery: (...values) => void measured.push(values),
      countRepairs: (...values) => void measured.push(values),
      recordSweep: () => void measured.push(['swept']),
    },
  };

  return { services, lines, measured, handled };
}
