import sprite from 'virtual:icon-sprite';
import type { IconName } from '../../shared/content/icon-name.ts';
import styles from './icon.module.css';

interface ContentIconProps {
  readonly name: IconName;
  readonly className?: string | undefined;
}

/** An icon named by content. Its drawing is in a separate sprite, so pages and scripts stay small. */
export function ContentIcon({ name, className }: ContentIconProps) {
  return (
    <svg className={className === undefined ? styles.icon : `${styles.icon} ${className}`} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
