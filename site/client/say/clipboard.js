/**
 * Copies text.
 * @returns {Promise<boolean>} false where the browser does not allow it, as on plain http away from localhost
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
