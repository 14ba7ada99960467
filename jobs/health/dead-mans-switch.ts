import type { Database } from '../../shared/node/database/database.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { LATE_AFTER, readOldestOverdueMs } from '../../shared/node/deliveries/sweep-queries.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { classifyResponse } from '../../shared/node/outbound/classify-response.ts';
import { isSuccess, type OutboundClient } from '../../shared/node/outbound/outbound-client.ts';

interface DeadMansSwitch {
  readonly database: Database;
  readonly outbound: OutboundClient;
  /** HEARTBEAT_URL, whose path is a secret. */
  readonly url: string;
  readonly logger: Logger;
}

/** Calls the address; a failure is the reason, without the address. */
async function call({ outbound, url }: DeadMansSwitch, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await outbound.call({ method: 'GET', url, headers: {}, signal });

    return isSuccess(response) ? undefined : classifyResponse('heartbeat', response).reason;
  } catch (error) {
    if (error instanceof DeliveryError) return error.reason;
    throw error;
  }
}

/**
 * Makes a task that calls HEARTBEAT_URL once, while no delivery is late. When the calls stay away, because
 * something is late or nobody is there to call, the service behind the address alerts somebody. A call that
 * fails is logged, and made again the next time.
 */
export function makeDeadMansSwitch(services: DeadMansSwitch): (signal: AbortSignal) => Promise<void> {
  const { database, url, logger } = services;
  const { host } = new URL(url);

  return async (signal) => {
    const overdueMs = Math.round(await readOldestOverdueMs(database));
    if (overdueMs > LATE_AFTER) {
      logger.warn({ overdueMs, host }, 'A delivery is late: HEARTBEAT_URL is not called.');

      return;
    }
    const reason = await call(services, signal);
    if (reason === undefined || signal.aborted) return;
    logger.warn({ reason, host }, 'HEARTBEAT_URL could not be called.');
  };
}
