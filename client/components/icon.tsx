import {
  Banknote,
  Bell,
  BookOpen,
  BriefcaseBusiness,
  Building2,
  CalendarCheck,
  ChartColumn,
  ChartNoAxesCombined,
  ChevronDown,
  Eye,
  EyeOff,
  CircleAlert,
  CircleCheck,
  Clock,
  Coins,
  Compass,
  Database,
  Factory,
  FileCheck,
  FileText,
  Gauge,
  GitBranch,
  GraduationCap,
  Handshake,
  HeartPulse,
  History,
  KeyRound,
  Landmark,
  Layers,
  Lightbulb,
  ListChecks,
  Lock,
  Menu,
  MessageSquare,
  Orbit,
  Pause,
  Play,
  Plug,
  ReceiptText,
  Scale,
  Search,
  ShieldCheck,
  ShoppingBag,
  Smile,
  Target,
  TrendingUp,
  Truck,
  UserCheck,
  Users,
  Workflow,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { IconName } from '../../shared/content/icon-name.ts';
import styles from './icon.module.css';

/** Icons of the interface itself, beside those content names. */
type InterfaceIconName =
  | 'chevron-down'
  | 'circle-alert'
  | 'circle-check'
  | 'eye'
  | 'eye-off'
  | 'lock'
  | 'menu'
  | 'pause'
  | 'play'
  | 'x';

const icons: Readonly<Record<IconName | InterfaceIconName, LucideIcon>> = {
  banknote: Banknote,
  bell: Bell,
  'book-open': BookOpen,
  'briefcase-business': BriefcaseBusiness,
  'building-2': Building2,
  'calendar-check': CalendarCheck,
  'chart-column': ChartColumn,
  'chart-no-axes-combined': ChartNoAxesCombined,
  'chevron-down': ChevronDown,
  'circle-alert': CircleAlert,
  'circle-check': CircleCheck,
  clock: Clock,
  coins: Coins,
  compass: Compass,
  database: Database,
  eye: Eye,
  'eye-off': EyeOff,
  factory: Factory,
  'file-check': FileCheck,
  'file-text': FileText,
  gauge: Gauge,
  'git-branch': GitBranch,
  'graduation-cap': GraduationCap,
  handshake: Handshake,
  'heart-pulse': HeartPulse,
  history: History,
  'key-round': KeyRound,
  landmark: Landmark,
  layers: Layers,
  lightbulb: Lightbulb,
  'list-checks': ListChecks,
  lock: Lock,
  menu: Menu,
  'message-square': MessageSquare,
  orbit: Orbit,
  pause: Pause,
  play: Play,
  plug: Plug,
  'receipt-text': ReceiptText,
  scale: Scale,
  search: Search,
  'shield-check': ShieldCheck,
  'shopping-bag': ShoppingBag,
  smile: Smile,
  target: Target,
  'trending-up': TrendingUp,
  truck: Truck,
  'user-check': UserCheck,
  users: Users,
  workflow: Workflow,
  x: X,
};

interface IconProps {
  readonly name: IconName | InterfaceIconName;
  readonly className?: string | undefined;
}

/** A line icon in the color of the text around it; it decorates and is not read out. */
export function Icon({ name, className = '' }: IconProps) {
  const Drawing = icons[name];

  return <Drawing className={`${styles.icon} ${className}`} strokeWidth={1.5} aria-hidden="true" />;
}
