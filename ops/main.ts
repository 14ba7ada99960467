import { Command } from 'commander';

/** The operator's tool. */
const program = new Command('ops').description('Looks after the requests of the website.');

await program.parseAsync();
