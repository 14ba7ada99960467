import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { Site } from '../../shared/node/monitoring/check.ts';
import { siteChecks } from '../../shared/node/monitoring/installation-checks.ts';
import { classifyResponse } from '../../shared/node/outbound/classify-response.ts';
import { isSuccess, type OutboundClient } from '../../shared/node/outbound/outbound-client.ts';

interface DeadMansSwitch extends Site {
  readonly outbound: OutboundClient;
  /** HEARTBEAT_URL, whose path is a secret. */
  readonly url: string;
  readonly logger: Logger;
}

async function call({ outbound, url }: DeadMansSwitch, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await outbound.call({ method: 'GET', url, headers: {}, signal });

    return isSuccess(response) ? undefined : classifyResponse('heartbeat', response).reason;
  } catch (error) {
    if (error instanceof DeliveryError) return error.reason;
    throw error;
  }
}

/** Creates a task that calls HEARTBEAT_URL, unless a check marked `stopsHeartbeat` fails. Failed calls are logged. */
export function makeDeadMansSwitch(services: DeadMansSwitch): (signal: AbortSignal) => Promise<void> {
  const { url, logger } = services;
  const { host } = new URL(url);
  const checks = siteChecks.filter(({ stopsHeartbeat }) => stopsHeartbeat);

  return async (signal) => {
    const found = await Promise.all(checks.map(async ({ find }) => find(services)));
    const failed = found.flat().find(({ state }) => state === 'fail');
    if (failed) {
      logger.warn({ reason: failed.detail, host }, 'HEARTBEAT_URL is not called.');

      return;
    }
    const reason = await call(services, signal);
    if (reason === undefined || signal.aborted) return;
    logger.warn({ reason, host }, 'HEARTBEAT_URL could not be called.');
  };
}
