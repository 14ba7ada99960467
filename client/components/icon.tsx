import {
  BriefcaseBusiness,
  Building2,
  ChartNoAxesCombined,
  ChevronDown,
  CircleAlert,
  CircleCheck,
  Compass,
  Database,
  Eye,
  EyeOff,
  Factory,
  FileCheck,
  GraduationCap,
  Handshake,
  HeartPulse,
  KeyRound,
  Landmark,
  Layers,
  Lock,
  Menu,
  Orbit,
  Pause,
  Play,
  ReceiptText,
  Search,
  ShieldCheck,
  ShoppingBag,
  TrendingUp,
  Truck,
  Workflow,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { MenuIconName } from '../../shared/content/icon-name.ts';
import styles from './icon.module.css';

/** Icons of the interface itself. */
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

const drawings: Readonly<Record<MenuIconName | InterfaceIconName, LucideIcon>> = {
  'briefcase-business': BriefcaseBusiness,
  'building-2': Building2,
  'chart-no-axes-combined': ChartNoAxesCombined,
  'chevron-down': ChevronDown,
  'circle-alert': CircleAlert,
  'circle-check': CircleCheck,
  compass: Compass,
  database: Database,
  eye: Eye,
  'eye-off': EyeOff,
  factory: Factory,
  'file-check': FileCheck,
  'graduation-cap': GraduationCap,
  handshake: Handshake,
  'heart-pulse': HeartPulse,
  'key-round': KeyRound,
  landmark: Landmark,
  layers: Layers,
  lock: Lock,
  menu: Menu,
  orbit: Orbit,
  pause: Pause,
  play: Play,
  'receipt-text': ReceiptText,
  search: Search,
  'shield-check': ShieldCheck,
  'shopping-bag': ShoppingBag,
  'trending-up': TrendingUp,
  truck: Truck,
  workflow: Workflow,
  x: X,
};

interface DrawingProps {
  readonly drawing: LucideIcon;
  readonly className?: string | undefined;
}

/** A line drawing in the color of the text around it; it decorates and is not read out. */
export function IconDrawing({ drawing: Drawing, className = '' }: DrawingProps) {
  return <Drawing className={`${styles.icon} ${className}`} strokeWidth={1.5} aria-hidden="true" />;
}

interface IconProps {
  readonly name: MenuIconName | InterfaceIconName;
  readonly className?: string | undefined;
}

/** An icon of the interface, the menus or the footer. */
export function Icon({ name, className }: IconProps) {
  return <IconDrawing drawing={drawings[name]} className={className} />;
}
