import {
  ChevronDown,
  CircleAlert,
  CircleCheck,
  Eye,
  EyeOff,
  Lock,
  Menu,
  Pause,
  Play,
  Search,
  X,
  type LucideIcon,
} from 'lucide-react';
import styles from './icon.module.css';

const drawings = {
  'chevron-down': ChevronDown,
  'circle-alert': CircleAlert,
  'circle-check': CircleCheck,
  eye: Eye,
  'eye-off': EyeOff,
  lock: Lock,
  menu: Menu,
  pause: Pause,
  play: Play,
  search: Search,
  x: X,
} as const satisfies Readonly<Record<string, LucideIcon>>;

/** Icon library attributes to omit, because the style sheet sets them for all icons. */
const omittedAttributes = {
  xmlns: undefined,
  width: undefined,
  height: undefined,
  fill: undefined,
  stroke: undefined,
  strokeWidth: undefined,
  strokeLinecap: undefined,
  strokeLinejoin: undefined,
} as const;

interface IconProps {
  readonly name: keyof typeof drawings;
  readonly className?: string | undefined;
}

/**
 * A decorative interface icon in the text color. It is inline SVG, so it appears together with the page. Use
 * `ContentIcon` for icons whose name is set in content.
 */
export function Icon({ name, className }: IconProps) {
  const Drawing = drawings[name];
  const classes = [styles.icon, styles[name], className].filter(Boolean);

  return <Drawing {...omittedAttributes} className={classes.join(' ')} aria-hidden="true" />;
}
