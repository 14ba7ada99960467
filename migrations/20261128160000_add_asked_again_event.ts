/** `asked-again` records that the same address or company made another request; `details.requestId` names that one. */
export const sql = `
  alter table submission_events
    drop constraint submission_events_what,
    add constraint submission_events_what
      check (what in ('contacted', 'snooze', 'assign', 'unfit', 'rotate', 'asked-again'))
`;
