/*
 * The icons content may name, by their names in the icon library.
 */

/** Those of menus, footer and forms, which are in the script of every page. */
export type MenuIconName =
  | 'briefcase-business'
  | 'building-2'
  | 'chart-no-axes-combined'
  | 'compass'
  | 'database'
  | 'factory'
  | 'file-check'
  | 'graduation-cap'
  | 'handshake'
  | 'heart-pulse'
  | 'key-round'
  | 'landmark'
  | 'layers'
  | 'orbit'
  | 'receipt-text'
  | 'search'
  | 'shield-check'
  | 'shopping-bag'
  | 'trending-up'
  | 'truck'
  | 'workflow';

/** All of them. */
export type IconName =
  | MenuIconName
  | 'banknote'
  | 'bell'
  | 'book-open'
  | 'calendar-check'
  | 'chart-column'
  | 'clock'
  | 'coins'
  | 'file-text'
  | 'gauge'
  | 'git-branch'
  | 'history'
  | 'lightbulb'
  | 'list-checks'
  | 'message-square'
  | 'plug'
  | 'scale'
  | 'smile'
  | 'target'
  | 'user-check'
  | 'users';
