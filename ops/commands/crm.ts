import type { Command } from 'commander';
import { createCrmProvider } from '../../shared/node/crm/create-crm-provider.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { OpsError, type CommandContext } from '../cli/session.ts';
import { escapeControls } from '../cli/terminal.ts';

const marks = { ok: 'ok  ', info: 'info', warn: 'warn', fail: 'FAIL', skip: 'skip' } as const;

const TIMEOUT = 30 * Second;

async function testCrm({ environment, terminal }: CommandContext): Promise<void> {
  const { print } = terminal;
  const { crm, outboundAllow } = loadConfig(environment);
  const client = createOutboundClient(outboundAllow);
  const provider = createCrmProvider(crm, client);

  try {
    const results = provider ? await provider.test(AbortSignal.timeout(TIMEOUT)) : [];
    if (!provider) print(`CRM_PROVIDER is ${crm.provider}: exports wait until it is set.`);
    for (const { check, state, detail } of results) {
      print(`${marks[state]}  ${`${crm.provider} ${check}`.padEnd(24)}  ${escapeControls(detail)}`);
    }
    if (results.some(({ state }) => state === 'fail')) {
      throw new OpsError(`The export to ${crm.provider} would fail.`);
    }
  } finally {
    await client.close();
  }
}

/** `crm test` */
export function addCrm(program: Command, context: CommandContext): void {
  program
    .command('crm')
    .description('export to the CRM')
    .command('test')
    .description('check address, credentials, rights and fields of the CRM without writing a lead')
    .action(() => testCrm(context));
}
