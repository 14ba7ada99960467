/** `mornings` counts the mails of stage `overdue` that were sent about a request, in the one row of that stage. */
export const sql = `
  alter table deliveries
    add column mornings integer not null default 0,
    drop constraint deliveries_stage,
    add constraint deliveries_stage check (stage in ('new', 'reminder', 'due', 'overdue'))
`;
