/** URLs of what a screen needs besides the entry: its chunk with what that imports, its styles. */
export interface ScreenAssets {
    readonly scripts: readonly string[];
    readonly styles: readonly string[];
}
