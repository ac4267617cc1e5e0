"""How programs talk to the desk over HTTP: calls, answers, tokens; what there is to call is in
`api.routes`."""
