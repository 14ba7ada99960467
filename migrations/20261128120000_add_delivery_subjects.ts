/** Allows deliveries about a subject without a table, which `subject` names. The code checks the kinds. */
export const sql = `
  alter table deliveries
    add column subject text,
    drop constraint deliveries_kind,
    drop constraint deliveries_subject,
    add constraint deliveries_subject check (
      num_nonnulls(submission_id, subscription_id, subject) = 1
      and (kind = 'newsletter') = (subscription_id is not null)
    );
  create unique index deliveries_once_per_subject on deliveries (kind, subject, recipient)
    nulls not distinct where subject is not null
`;
