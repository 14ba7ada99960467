import { withoutSecrets } from '../shared/node/config/known-names.ts';
import { runCommand } from './run-command.ts';

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', () => process.exit(0));
// Not left to the event loop: a connection to a server that hangs would keep it alive.
process.exit(await runCommand(process.argv.slice(2), process, withoutSecrets()));
