import Console

@main enum M { static func main() {} }
