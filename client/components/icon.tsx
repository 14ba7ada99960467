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

/** The library's attributes that the style sheet has for all icons. */
const inStyles = {
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
 * An icon of the interface: a line drawing in the color of the text around it. It decorates and is not read
 * out. Drawn in the document, so that it is there at once; what content names is a `ContentIcon`.
 */
export function Icon({ name, className }: IconProps) {
  const Drawing = drawings[name];
  const classes = [styles.icon, styles[name], className].filter(Boolean);

  return <Drawing {...inStyles} className={classes.join(' ')} aria-hidden="true" />;
}
