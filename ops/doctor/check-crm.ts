import type { Config } from '../../shared/node/config/config.ts';
import { createCrmProvider } from '../../shared/node/crm/create-crm-provider.ts';
import { pass, type Check } from '../../shared/node/monitoring/check.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { Second } from '../../shared/time.ts';

/** Shorter than that of `runCheck`. */
const TIMEOUT = 9 * Second;

/** Checks that the CRM would accept a lead: one result, or one for each problem. */
export const checkCrm = ({ crm, outboundAllow }: Config): Check => ({
  name: 'crm',
  run: async () => {
    const client = createOutboundClient(outboundAllow);

    try {
      const provider = createCrmProvider(crm, client);
      if (!provider) return pass('CRM_PROVIDER is none: exports stay pending until it is set.');
      const results = await provider.test(AbortSignal.timeout(TIMEOUT));
      const problems = results.filter(({ state }) => state !== 'ok');
      if (problems.length === 0) return pass(`${crm.provider} accepts leads.`);

      return problems.map(({ check, state, detail }) => ({
        state,
        detail: `${crm.provider}, ${check}: ${detail}`,
      }));
    } finally {
      await client.close();
    }
  },
});
