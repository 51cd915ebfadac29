/** Facts from the server: adServer, shopId, cid, uid, productId, order. */
export const facts = JSON.parse(document.getElementById('facts').textContent)
