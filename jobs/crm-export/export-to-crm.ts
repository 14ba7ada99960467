import { createHash } from 'node:crypto';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { deleteRemoteSteps, recordRemoteStep } from '../../shared/node/deliveries/leased-delivery.ts';
import { withAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { DeliveryError, ResponseError } from '../../shared/node/outbound/delivery-error.ts';
import { loadSubmission, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import type { OutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { createCrmProvider } from '../../shared/node/crm/create-crm-provider.ts';
import { makeCrmRecord, type RemoteSteps } from '../../shared/node/crm/crm-provider.ts';
import { createObstacleCheck } from '../../shared/node/crm/crm-checks.ts';

/** Returns a name for the CRM account, with 32 bits of the settings' hash. Ids are only valid within one account. */
function nameAccount(crm: Config['crm']): string {
  const hash = createHash('sha256').update(JSON.stringify(crm)).digest('hex');

  return `${crm.provider}-${hash.slice(0, 8)}`;
}

function makeRemoteSteps(
  database: Database,
  delivery: ClaimedDelivery,
  account: string,
): RemoteSteps {
  const done = new Map(Object.entries(delivery.remoteSteps));

  return {
    get: (step) => done.get(`${account}:${step}`),
    record: async (name, remoteId) => {
      const step = `${account}:${name}`;
      done.set(step, remoteId);
      if (!(await recordRemoteStep(database, delivery, { step, remoteId }))) {
        throw new DeliveryError('retry', 'lease-lost');
      }
    },
  };
}

const hasRemoteSteps = ({ remoteSteps }: ClaimedDelivery): boolean => Object.keys(remoteSteps).length > 0;

/** Returns the error for a failed attempt, classified by whether other exports would fail too. */
async function classifyFailure(
  database: Database,
  delivery: ClaimedDelivery,
  error: unknown,
  findObstacles: ReturnType<typeof createObstacleCheck>,
): Promise<unknown> {
  if (!(error instanceof DeliveryError)) return error;
  const { result, reason, kindWaitsMs } = error;
  // A firewall may reject a single word, which any visitor can type, with the same status as wrong credentials.
  const mayAffectAll = result === 'paused' || kindWaitsMs !== undefined;
  if (mayAffectAll) {
    const { isRefused, isLimited } = await findObstacles();
    if (isRefused || (result === 'retry' && isLimited)) return error;
  }
  // Sales may have deleted or merged a record that an earlier attempt created.
  const isNotFound = error instanceof ResponseError && error.status === 404;
  const mayMissRecord = hasRemoteSteps(delivery) && (result === 'dead' || isNotFound);
  if (mayMissRecord) await deleteRemoteSteps(database, delivery);

  return mayAffectAll || mayMissRecord
    ? new DeliveryError('retry', reason, { cause: error, waitsMs: kindWaitsMs })
    : error;
}

/** Creates the handler for export deliveries. */
export function createCrmExportHandler(
  database: Database,
  crm: Config['crm'],
  client: OutboundClient,
): DeliveryHandler {
  const provider = createCrmProvider(crm, client);
  const account = nameAccount(crm);
  const findObstacles = provider && createObstacleCheck(provider);

  return async (delivery, signal) => {
    const submission = await loadSubmission(database, delivery);
    // A worker without a provider claims no exports, but another worker may have different settings.
    if (!provider || !findObstacles) throw new DeliveryError('paused', 'crm-switched-off');

    try {
      const remoteRef = await provider.exportRecord(makeCrmRecord(submission), {
        deliveryId: delivery.id,
        // An attempt that paused the exports isn't counted, but it may have created records.
        attempt: hasRemoteSteps(delivery) ? Math.max(2, delivery.attempts) : delivery.attempts,
        steps: makeRemoteSteps(database, delivery, account),
        withAdvisoryLock: (key, work) => withAdvisoryLock(database, key, work),
        signal,
      });

      return { remoteRef, deferred: [] };
    } catch (error) {
      throw await classifyFailure(database, delivery, error, findObstacles);
    }
  };
}
