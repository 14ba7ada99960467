/** One row for each address of sales that had a turn (`SALES_ASSIGNMENT=rotate`) or was away. */
export const sql = `
  create table sales_rotation (
    address text primary key,
    last_assigned_at timestamptz,
    away_until timestamptz
  )
`;
