import sprite from 'virtual:icon-sprite';
import type { IconName } from '../../shared/content/icon-name.ts';
import styles from './icon.module.css';

interface ContentIconProps {
  readonly name: IconName;
  readonly className?: string | undefined;
}

/**
 * An icon that content names: menus, footer, lists. Its drawing is in the sprite, a file of its own, so that
 * neither documents nor scripts carry it.
 */
export function ContentIcon({ name, className }: ContentIconProps) {
  return (
    <svg className={className === undefined ? styles.icon : `${styles.icon} ${className}`} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
