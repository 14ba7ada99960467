import type { Command } from 'commander';
import { loadConfig } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { OpsError, type CommandContext } from '../cli/session.ts';
import { formatCheck } from '../cli/terminal.ts';
import { runCrmTest } from '../doctor/check-crm.ts';

const TIMEOUT = 30 * Second;

async function testCrm({ environment, terminal: { print } }: CommandContext): Promise<void> {
  const config = loadConfig(environment);
  const { provider } = config.crm;
  const results = await runCrmTest(config, TIMEOUT);
  if (!results) return print(`CRM_PROVIDER is ${provider}: exports wait until it is set.`);
  for (const result of results) print(formatCheck({ ...result, check: `${provider} ${result.check}` }));
  if (results.some(({ state }) => state === 'fail')) throw new OpsError(`The export to ${provider} would fail.`);
}

/** Adds the command `crm test`. */
export function addCrm(program: Command, context: CommandContext): void {
  program
    .command('crm')
    .description('export to the CRM')
    .command('test')
    .description('check the CRM’s address, credentials, permissions and fields without writing a lead')
    .action(() => testCrm(context));
}
