import type { Config } from '../../shared/node/config/config.ts';
import { createCrmProvider } from '../../shared/node/crm/create-crm-provider.ts';
import { pass, type Check } from '../../shared/node/monitoring/check.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { Second } from '../../shared/time.ts';

/** Shorter than the timeout of `runCheck`. */
const TIMEOUT = 9 * Second;

/** Tests the CRM without writing a lead. Returns undefined if CRM_PROVIDER is `none`. */
export async function runCrmTest({ crm, outboundAllow }: Config, timeoutMs: number) {
  const client = createOutboundClient(outboundAllow);

  try {
    return await createCrmProvider(crm, client)?.test(AbortSignal.timeout(timeoutMs));
  } finally {
    await client.close();
  }
}

/** Checks that the CRM would accept a lead. Returns one result, or one for each problem. */
export const checkCrm = (config: Config): Check => ({
  name: 'crm',
  run: async () => {
    const { provider } = config.crm;
    const results = await runCrmTest(config, TIMEOUT);
    if (!results) return pass('CRM_PROVIDER is none: exports stay pending until it is set.');
    const problems = results.filter(({ state }) => state !== 'ok');

    return problems.length === 0
      ? pass(`${provider} accepts leads.`)
      : problems.map(({ check, state, detail }) => ({ state, detail: `${provider}, ${check}: ${detail}` }));
  },
});
