import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { loadSubmission } from '../deliveries/load-submission.ts';
import type { Effect } from '../deliveries/run-delivery.ts';
import { makeCrmRecord, type CrmProvider } from './crm-provider.ts';
import { createFileProvider } from './file-provider.ts';

/** The configured CRM; none when exporting is switched off. */
export function createCrmProvider(crm: Config['crm']): CrmProvider | undefined {
  return crm.provider === 'file' ? createFileProvider(crm.directory) : undefined;
}

/** Makes the effect of an export delivery. */
export function makeCrmExportEffect(
  database: Database,
  provider: CrmProvider | undefined,
): Effect {
  return async (delivery, signal) => {
    const submission = await loadSubmission(database, delivery);
    if (!provider) throw new DeliveryError('cancelled', 'crm-switched-off');

    return provider.exportRecord(makeCrmRecord(submission), delivery.attempts, signal);
  };
}
