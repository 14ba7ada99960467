import {
  Banknote,
  Bell,
  BookOpen,
  CalendarCheck,
  ChartColumn,
  Clock,
  Coins,
  FileText,
  Gauge,
  GitBranch,
  History,
  Lightbulb,
  ListChecks,
  MessageSquare,
  Plug,
  Scale,
  Smile,
  Target,
  UserCheck,
  Users,
  type LucideIcon,
} from 'lucide-react';
import type { IconName, MenuIconName } from '../../shared/content/icon-name.ts';
import { Icon, IconDrawing } from './icon.tsx';

type OwnIconName = Exclude<IconName, MenuIconName>;

const drawings: Readonly<Record<OwnIconName, LucideIcon>> = {
  banknote: Banknote,
  bell: Bell,
  'book-open': BookOpen,
  'calendar-check': CalendarCheck,
  'chart-column': ChartColumn,
  clock: Clock,
  coins: Coins,
  'file-text': FileText,
  gauge: Gauge,
  'git-branch': GitBranch,
  history: History,
  lightbulb: Lightbulb,
  'list-checks': ListChecks,
  'message-square': MessageSquare,
  plug: Plug,
  scale: Scale,
  smile: Smile,
  target: Target,
  'user-check': UserCheck,
  users: Users,
};

const isOwn = (name: IconName): name is OwnIconName => Object.hasOwn(drawings, name);

interface ContentIconProps {
  readonly name: IconName;
  readonly className?: string | undefined;
}

/** An icon a text names: in a file of its own, since most pages need none but the menus' icons. */
export function ContentIcon({ name, className }: ContentIconProps) {
  return isOwn(name) ? (
    <IconDrawing drawing={drawings[name]} className={className} />
  ) : (
    <Icon name={name} className={className} />
  );
}
