// Loaded by the page of an old address, before its refresh: leads on at once and keeps what follows
// `?` and `#`, and leaves the old address out of the history.
{
  const { to } = document.currentScript.dataset
  const address = new URL(to, location.href)
  address.search ||= location.search
  address.hash ||= location.hash
  if (address.origin === location.origin) location.replace(address)
}
