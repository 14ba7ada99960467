import sprite from 'virtual:icon-sprite';
import type { IconName } from '../../shared/content/icon-name.ts';
import styles from './icon.module.css';

interface ContentIconProps {
  readonly name: IconName;
  readonly className?: string | undefined;
}

/** An icon whose name is set in content. Its drawing is in a separate sprite to keep pages and scripts small. */
export function ContentIcon({ name, className }: ContentIconProps) {
  return (
    <svg className={className === undefined ? styles.icon : `${styles.icon} ${className}`} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
