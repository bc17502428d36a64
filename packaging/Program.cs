using Packing;

switch (args)
{
    case ["documentation", var assembly, var source, var destination]:
        PublicDocumentation.Write(assembly, source, destination);
        return 0;

    case ["readme", var source, var destination, var platforms]:
        Readme.Write(source, destination, platforms.Split(',', StringSplitOptions.RemoveEmptyEntries));
        return 0;

    default:
        Console.Error.WriteLine("Packing documentation <assembly> <xml> <destination> | readme <readme> <destination> <platform,...>");
        return 1;
}
