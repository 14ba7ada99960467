import { createCrmProvider } from '../../jobs/crm-export/export-to-crm.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import type { Check } from './check.ts';

const PATIENCE = 9 * Second;

/** Whether the CRM would take a lead: one line, or one for each thing to mend. */
export const checkCrm = ({ crm, outboundAllow }: Config): Check => ({
  name: 'crm',
  look: async () => {
    const client = createOutboundClient(outboundAllow);

    try {
      const provider = createCrmProvider(crm, client);
      if (!provider) return { check: 'crm', status: 'ok', detail: 'CRM_PROVIDER is none: exports wait until it is set.' };
      const findings = await provider.test(AbortSignal.timeout(PATIENCE));
      const faults = findings.filter(({ state }) => state !== 'ok');

      return faults.length > 0
        ? faults.map(({ check, state, detail }) => ({
            check: 'crm',
            status: state,
            detail: `${crm.provider}, ${check}: ${detail}`,
          }))
        : { check: 'crm', status: 'ok', detail: `${crm.provider} takes leads.` };
    } finally {
      await client.close();
    }
  },
});
