import type { Command } from 'commander';
import { createCrmProvider } from '../../shared/node/crm/create-crm-provider.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { makeSafe, say, toJson } from '../cli/terminal.ts';

/** How a line begins. */
const marks = { ok: 'ok  ', info: 'info', warn: 'warn', fail: 'FAIL', skip: 'skip' } as const;

const PATIENCE = 30 * Second;

async function testCrm({ json }: { readonly json?: true }): Promise<void> {
  const { crm, outboundAllow } = loadConfig();
  const client = createOutboundClient(outboundAllow);
  const provider = createCrmProvider(crm, client);

  try {
    const findings = provider ? await provider.test(AbortSignal.timeout(PATIENCE)) : [];
    if (json) say(toJson({ provider: crm.provider, findings }, 2));
    else if (!provider) say(`CRM_PROVIDER is ${crm.provider}: exports wait until it is set.`);
    else {
      for (const { check, state, detail } of findings) {
        say(`${marks[state]}  ${`${crm.provider} ${check}`.padEnd(24)}  ${makeSafe(detail)}`);
      }
    }
    if (findings.some(({ state }) => state === 'fail')) {
      throw new OpsError(`The export to ${crm.provider} would fail.`);
    }
  } finally {
    await client.close();
  }
}

/** `crm test` */
export function addCrm(program: Command): void {
  program
    .command('crm')
    .description('export to the CRM')
    .command('test')
    .description('try address, credentials, rights and fields of the CRM without writing a lead')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ops crm test')
    .action(testCrm);
}
